/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>
#include <fcntl.h>
static volatile unsigned long n;
__attribute__((noinline)) void spin(int k) { while (k--) n++; }
__attribute__((noinline)) void work(int k) { spin(k * 1000); n++; }
__attribute__((noinline)) void disk(void) { char b[4096]; int f = open("/dev/zero", O_RDONLY); for (int i = 0; i < 200; i++) read(f, b, sizeof b); close(f); n++; }
int main(void) { for (;;) { work(200); disk(); n++; } return 0; }
