// Loads a library when it is first asked for, and not when the program starts.
#pragma once
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* Defines `lib`, which holds the functions that EACH_FUNCTION names, called as their own headers say, and LOAD, which
   loads them once: NULL when they are there, else why not. */
#define TD_LIBRARY(LOAD, SONAME, EACH_FUNCTION)                                                                      \
  static struct {                                                                                                    \
    EACH_FUNCTION(TD_MEMBER)                                                                                         \
  } lib;                                                                                                             \
  static char problem[256];                                                                                          \
  static void load_once(void) {                                                                                      \
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);                                                           \
    EACH_FUNCTION(TD_FIND)                                                                                           \
    if (library) return;                                                                                             \
    const char *reason = dlerror();                                                                                  \
    snprintf(problem, sizeof problem, "%s", reason ? reason : SONAME " is not as expected");                         \
  }                                                                                                                  \
  const char *LOAD(void) {                                                                                           \
    static pthread_once_t once = PTHREAD_ONCE_INIT;                                                                  \
    pthread_once(&once, load_once);                                                                                  \
    return problem[0] ? problem : NULL;                                                                              \
  }

#define TD_MEMBER(name) __typeof__(name) *name;
#define TD_FIND(name) library = library && (lib.name = (__typeof__(name) *)dlsym(library, #name)) ? library : NULL;
