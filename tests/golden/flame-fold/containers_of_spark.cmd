# Named, with what to do.
printf 'LZ4Block\046\0\0\0' | flame-fold
printf '\202SNAPPY\0\0\0\0\1\0\0\0\1' | flame-fold
printf '\377\006\0\0sNaPpY' | flame-fold
