/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbedTLS's source of random numbers in the static tools: the kernel's
 * getrandom(), because an empty root has no /dev/urandom.
 */
#include <stddef.h>
#include <sys/random.h>

int mbedtls_hardware_poll(void *data, unsigned char *output, size_t size,
			  size_t *written);

int mbedtls_hardware_poll(void *data, unsigned char *output, size_t size,
			  size_t *written)
{
	ssize_t n = getrandom(output, size, 0);

	(void)data;
	*written = n > 0 ? (size_t)n : 0;
	return n > 0 ? 0 : -1;
}
