#include "ccurl.h"
#include <tdlibrary.h>

#define EACH_FUNCTION(DO)                                                                                            \
  DO(curl_global_init)                                                                                               \
  DO(curl_version_info)                                                                                              \
  DO(curl_easy_strerror)                                                                                             \
  DO(curl_easy_init)                                                                                                 \
  DO(curl_easy_cleanup)                                                                                              \
  DO(curl_easy_setopt)                                                                                               \
  DO(curl_easy_getinfo)                                                                                              \
  DO(curl_easy_recv)                                                                                                 \
  DO(curl_easy_send)                                                                                                 \
  DO(curl_multi_init)                                                                                                \
  DO(curl_multi_cleanup)                                                                                             \
  DO(curl_multi_setopt)                                                                                              \
  DO(curl_multi_add_handle)                                                                                          \
  DO(curl_multi_remove_handle)                                                                                       \
  DO(curl_multi_socket_action)                                                                                       \
  DO(curl_multi_info_read)

TD_LIBRARY(td_curl_load, "libcurl.so.4", EACH_FUNCTION)

CURLcode td_global_init(void) { return lib.curl_global_init(CURL_GLOBAL_DEFAULT); }
const curl_version_info_data *td_version_info(void) { return lib.curl_version_info(CURLVERSION_NOW); }
const char *td_error_text(CURLcode code) { return lib.curl_easy_strerror(code); }

CURL *td_easy_init(void) { return lib.curl_easy_init(); }
void td_easy_cleanup(CURL *easy) { lib.curl_easy_cleanup(easy); }

CURLcode td_easy_set_long(CURL *easy, CURLoption option, long value) {
  return lib.curl_easy_setopt(easy, option, value);
}

CURLcode td_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return lib.curl_easy_setopt(easy, option, value);
}

CURLcode td_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return lib.curl_easy_setopt(easy, option, value);
}

CURLcode td_easy_on_open_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
  CURLcode code = lib.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code ? code : lib.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode td_easy_on_close_socket(CURL *easy, curl_closesocket_callback callback, void *context) {
  CURLcode code = lib.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
  return code ? code : lib.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

CURLcode td_easy_on_trace(CURL *easy, curl_debug_callback callback, void *context) {
  CURLcode code = lib.curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
  if (!code) code = lib.curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
  return code ? code : lib.curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

CURLcode td_easy_get_long(CURL *easy, CURLINFO info, long *value) { return lib.curl_easy_getinfo(easy, info, value); }

CURLcode td_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return lib.curl_easy_getinfo(easy, info, value);
}

CURLcode td_easy_get_string(CURL *easy, CURLINFO info, const char **value) {
  return lib.curl_easy_getinfo(easy, info, value);
}

CURLcode td_easy_get_socket(CURL *easy, curl_socket_t *socket) {
  return lib.curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, socket);
}

CURLcode td_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return lib.curl_easy_getinfo(easy, info, value);
}

CURLcode td_easy_recv(CURL *easy, void *buffer, size_t size, size_t *count) {
  return lib.curl_easy_recv(easy, buffer, size, count);
}

CURLcode td_easy_send(CURL *easy, const void *bytes, size_t size, size_t *count) {
  return lib.curl_easy_send(easy, bytes, size, count);
}

CURLM *td_multi_init(void) { return lib.curl_multi_init(); }
void td_multi_cleanup(CURLM *multi) { lib.curl_multi_cleanup(multi); }

CURLMcode td_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return lib.curl_multi_setopt(multi, option, value);
}

CURLMcode td_multi_on_socket(CURLM *multi, curl_socket_callback callback, void *context) {
  CURLMcode code = lib.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code ? code : lib.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

CURLMcode td_multi_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  CURLMcode code = lib.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code ? code : lib.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

CURLMcode td_multi_add(CURLM *multi, CURL *easy) { return lib.curl_multi_add_handle(multi, easy); }
CURLMcode td_multi_remove(CURLM *multi, CURL *easy) { return lib.curl_multi_remove_handle(multi, easy); }

CURLMcode td_multi_act(CURLM *multi, curl_socket_t socket, int events, int *running) {
  return lib.curl_multi_socket_action(multi, socket, events, running);
}

CURL *td_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = lib.curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
