/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that shows its recorder endless data.
 *
 *	hostile name		runs a function whose name doubles 60 times
 *	hostile threads		a Python whose list of threads is a cycle
 *	hostile frames		one whose frames are a cycle
 *	hostile strings		one whose names claim to be of exabytes
 *	hostile fault		one whose memory nobody brings
 *	hostile honest		one that is well
 *	hostile drip|mute|full LIBJVM	a JVM that answers a byte a second, or
 *				never, or accepts no connection
 *
 * Its file must be called python3.12 where it is to be one; the offsets are of
 * that release.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* Names ------------------------------------------------------------------- */

/* BOMB is defined by the test: _Z1fSt4pairIiiES_IS0_S0_ES_IS1_S1_E... */
#ifndef BOMB
#define BOMB "_Z1fi"
#endif
void bomb(long n) __asm__(BOMB);
__attribute__((noinline)) void bomb(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

/* Python ------------------------------------------------------------------ */

char _PyRuntime[8192] __attribute__((aligned(4096)));
uint64_t Py_Version = 0x030c01f0;
static char state[4096], interpreter[4096], frame[4096], code[4096];
static char file[8192], name[8192];

static void put(char *to, uint64_t value)
{
	memcpy(to, &value, sizeof(value));
}

static void put_string(char *to, const char *text)
{
	uint32_t kind = 1 << 2 | 1 << 5 | 1 << 6;	/* compact ASCII */

	put(to + 16, strlen(text));
	memcpy(to + 32, &kind, sizeof(kind));
	memcpy(to + 40, text, strlen(text));
}

__attribute__((noinline)) void _PyEval_EvalFrameDefault(void)
{
	for (volatile long i = 0;; i++)
		;
}

static void *run(void *arg)
{
	_PyEval_EvalFrameDefault();
	return arg;
}

/* A reader of this memory waits. */
static char *no_memory(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	char *at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register all = {
		.range = { (uintptr_t)at, 1 << 20 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 ||
	    ioctl(fd, UFFDIO_REGISTER, &all) != 0) {
		perror("userfaultfd");
		exit(77);
	}
	return at;
}

static void be_python(const char *what)
{
	pthread_t thread;

	put(_PyRuntime + 40, (uintptr_t)interpreter);
	put(interpreter + 72, (uintptr_t)state);
	put(state + 144, (uint64_t)gettid());
	put(state + 56, (uintptr_t)frame + 512);
	put(frame + 512, (uintptr_t)frame);
	put(frame, (uintptr_t)code);
	put(frame + 56, (uintptr_t)code + 192);
	put(code + 112, (uintptr_t)file);
	put(code + 128, (uintptr_t)name);
	put(code + 16, 1000);
	put_string(file, "/a/file.py");
	put_string(name, "honest_name");
	if (strcmp(what, "threads") == 0) {
		put(state + 8, (uintptr_t)state);
		put(state + 144, 1);
		put(interpreter, (uintptr_t)interpreter);
	} else if (strcmp(what, "frames") == 0) {
		put(frame + 8, (uintptr_t)frame);
	} else if (strcmp(what, "strings") == 0) {
		put(file + 16, UINT64_MAX >> 1);
		put(name + 16, UINT64_C(1) << 62);
	} else if (strcmp(what, "fault") == 0) {
		put(_PyRuntime + 40, (uintptr_t)no_memory());
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, run, NULL);
	_PyEval_EvalFrameDefault();
}

/* A JVM ------------------------------------------------------------------- */

static void ignore(int number)
{
	(void)number;
}

static void be_jvm(const char *what, const char *libjvm)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = open(libjvm, O_RDONLY), own, other;
	char text[4096];

	signal(SIGQUIT, ignore);
	signal(SIGPIPE, SIG_IGN);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/tmp/.java_pid%d", (int)getpid());
	unlink(address.sun_path);
	own = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(own, (struct sockaddr *)&address, sizeof(address));
	listen(own, strcmp(what, "full") == 0 ? 0 : 5);
	for (int i = 0; strcmp(what, "full") == 0 && i < 3; i++)
		connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0),
			(struct sockaddr *)&address, sizeof(address));
	while (strcmp(what, "full") == 0)
		pause();
	for (;;) {
		other = accept(own, NULL, NULL);
		if (read(other, text, sizeof(text)) < 0)
			continue;
		while (strcmp(what, "mute") == 0)
			pause();
		while (write(other, "0", 1) == 1)
			sleep(1);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "name";

	if (argc > 2)
		be_jvm(what, argv[2]);
	if (strcmp(what, "name") != 0)
		be_python(what);
	for (;;)
		bomb(1000000);
}
