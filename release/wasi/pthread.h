/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_PTHREAD_H
#define FL_WASI_PTHREAD_H

#include <lacks.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER { { { 0 } } }
#define PTHREAD_ONCE_INIT 0

FL_WASI_DONE(pthread_mutex_init, pthread_mutex_t *m, const void *a)
FL_WASI_DONE(pthread_mutex_lock, pthread_mutex_t *m)
FL_WASI_DONE(pthread_mutex_unlock, pthread_mutex_t *m)
FL_WASI_DONE(pthread_mutex_destroy, pthread_mutex_t *m)
FL_WASI_DONE(pthread_cond_init, pthread_cond_t *c, const void *a)
FL_WASI_DONE(pthread_cond_signal, pthread_cond_t *c)
FL_WASI_DONE(pthread_cond_broadcast, pthread_cond_t *c)
FL_WASI_DONE(pthread_cond_destroy, pthread_cond_t *c)
FL_WASI_DONE(pthread_join, pthread_t t, void **result)
FL_WASI_DONE(pthread_sigmask, int how, const void *set, void *old)

/* Nobody else could wake the caller. */
FL_WASI int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	abort();
}

FL_WASI int pthread_create(pthread_t *t, const void *a, void *(*run)(void *),
			   void *arg)
{
	return EAGAIN;
}

FL_WASI int pthread_once(pthread_once_t *once, void (*run)(void))
{
	if (!*once)
		run();
	*once = 1;
	return 0;
}

#endif
