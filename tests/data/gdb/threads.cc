// Threads with names that are hard to read in a backtrace.
#include <csignal>
#include <functional>
#include <map>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

static volatile int sum;

namespace {
struct Adder {
	int base;
	bool operator<(const Adder &other) const
	{
		pause();
		return base < other.base;
	}
	int operator()(const char *text, int n) const
	{
		while (n)
			sum += base + *text;
		return sum;
	}
};
}

static inline __attribute__((always_inline)) int inner(int n)
{
	while (n)
		sum++;
	return sum;
}

static inline __attribute__((always_inline)) int outer(int n)
{
	return inner(n) + 1;
}

template <typename A, typename B> __attribute__((noinline))
int work(const std::map<A, B> &map, int n)
{
	int r = outer(n);
	return r + (int)map.size();
}

static void on_signal(int)
{
	pause();
}

int main()
{
	std::map<std::string, std::pair<int, int>> map;
	std::function<int (const char *, int)> add = Adder{ 1 };
	std::thread a([&] {
		pthread_setname_np(pthread_self(), "add (\"x\")");
		return add("a (b) at x.c:1 {", 1);
	});
	std::thread b([&] {
		pthread_setname_np(pthread_self(), "work <1>");
		return work(map, 1);
	});
	std::thread c([] {
		return (int)(Adder{ 1 } < Adder{ 2 });
	});
	signal(SIGUSR1, on_signal);
	usleep(100000);
	raise(SIGUSR1);
	a.join();
	b.join();
	c.join();
}
// SPDX-License-Identifier: Apache-2.0 (last, as lines above are in the recordings)
