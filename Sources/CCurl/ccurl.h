// Declares what we use of libcurl; decides nothing. Swift cannot call variadic functions, and a setter that takes any
// type takes the wrong one silently, so each kind of option has its own typed setter here. Functions of libcurl that
// Swift can call have no wrapper.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Swift does not see these macros. */
static const long td_global_default = CURL_GLOBAL_DEFAULT;
static const CURLversion td_version_now = CURLVERSION_NOW;

static inline CURLcode td_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode td_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode td_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode td_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode td_easy_on_open_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode td_easy_on_close_socket(CURL *easy, curl_closesocket_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
  return code ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLcode td_easy_on_trace(CURL *easy, curl_debug_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
  return code ? code : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

/* The body and the fields of a response. */
static inline CURLcode td_easy_on_receive(
    CURL *easy, curl_write_callback body, curl_write_callback field, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, field);
  return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

/* The body of a request, which libcurl may want once more from its start. */
static inline CURLcode td_easy_on_send(
    CURL *easy, curl_read_callback body, curl_seek_callback seek, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, body);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
  return code ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

static inline CURLcode td_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode td_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode td_easy_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode td_easy_get_socket(CURL *easy, curl_socket_t *socket) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, socket);
}

static inline CURLcode td_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}

/* What `what` names is shared by the easy handles that are given the share (CURLOPT_SHARE), and by no other. */
static inline CURLSH *td_share_init(curl_lock_data what) {
  CURLSH *share = curl_share_init();
  if (!share || curl_share_setopt(share, CURLSHOPT_SHARE, what) == CURLSHE_OK) return share;
  curl_share_cleanup(share);
  return NULL;
}

static inline CURLMcode td_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode td_multi_on_socket(CURLM *multi, curl_socket_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode td_multi_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/* The outcome of the next finished transfer; NULL when there is none. */
static inline CURL *td_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
