printf 'a 1\n' | flame-filter --tidy go,lambdas
