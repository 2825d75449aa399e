// Declares what we use of libcurl; decides nothing. Swift cannot call variadic functions, and a setter that takes any
// type takes the wrong one silently, so each kind of option has its own typed setter here.
//
// libcurl is loaded when it is first asked for, not when the program starts: with all that it brings along it takes
// longer to load than all the rest, and a replay never asks for it.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Loads libcurl, once. NULL when it is there; else why it is not. Nothing below may be called before. */
const char *td_curl_load(void);

CURLcode td_global_init(void);
const curl_version_info_data *td_version_info(void);
const char *td_error_text(CURLcode code);

CURL *td_easy_init(void);
void td_easy_cleanup(CURL *easy);
CURLcode td_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode td_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode td_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode td_easy_on_open_socket(CURL *easy, curl_opensocket_callback callback, void *context);
CURLcode td_easy_on_close_socket(CURL *easy, curl_closesocket_callback callback, void *context);
CURLcode td_easy_on_trace(CURL *easy, curl_debug_callback callback, void *context);
CURLcode td_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode td_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode td_easy_get_string(CURL *easy, CURLINFO info, const char **value);
CURLcode td_easy_get_socket(CURL *easy, curl_socket_t *socket);
CURLcode td_easy_get_pointer(CURL *easy, CURLINFO info, void **value);
CURLcode td_easy_recv(CURL *easy, void *buffer, size_t size, size_t *count);
CURLcode td_easy_send(CURL *easy, const void *bytes, size_t size, size_t *count);

CURLM *td_multi_init(void);
void td_multi_cleanup(CURLM *multi);
CURLMcode td_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode td_multi_on_socket(CURLM *multi, curl_socket_callback callback, void *context);
CURLMcode td_multi_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context);
CURLMcode td_multi_add(CURLM *multi, CURL *easy);
CURLMcode td_multi_remove(CURLM *multi, CURL *easy);
CURLMcode td_multi_act(CURLM *multi, curl_socket_t socket, int events, int *running);
/* The outcome of the next finished transfer; NULL when there is none. */
CURL *td_multi_next_finished(CURLM *multi, CURLcode *result);
