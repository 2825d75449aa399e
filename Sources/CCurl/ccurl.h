// Declares what we use of libcurl; decides nothing. Swift cannot call variadic functions, and a setter that takes any
// type takes the wrong one silently, so each kind of option has its own typed setter here.
#pragma once
#include <curl/curl.h>

static inline CURLcode td_easy_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode td_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode td_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode td_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode td_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}

typedef size_t (*td_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode td_easy_on_header(CURL *easy, td_data_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, callback);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode td_easy_on_body(CURL *easy, td_data_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, callback);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode td_easy_on_request(CURL *easy, curl_prereq_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, callback);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode td_easy_on_open_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode td_easy_on_close_socket(CURL *easy, curl_closesocket_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLcode td_easy_on_trace(CURL *easy, curl_debug_callback callback, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, callback);
  if (!code) code = (curl_easy_setopt)(easy, CURLOPT_DEBUGDATA, context);
  return code ? code : (curl_easy_setopt)(easy, CURLOPT_VERBOSE, 1L);
}

static inline CURLcode td_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode td_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode td_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode td_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode td_multi_on_socket(CURLM *multi, curl_socket_callback callback, void *context) {
  CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code ? code : (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode td_multi_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code ? code : (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
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

/* CURLVERSION_NOW is a macro for an enumerator, which Swift does not see. */
static inline const curl_version_info_data *td_version_info(void) { return curl_version_info(CURLVERSION_NOW); }
