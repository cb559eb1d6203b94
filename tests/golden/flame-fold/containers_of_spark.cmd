# Named, with what to do.
printf '\377\006\0\0sNaPpY' | flame-fold
# Read.
printf 'LZ4Block\025\6\0\0\0\6\0\0\0\0\0\0\0a;b 1\n' | flame-fold
printf '\202SNAPPY\0\0\0\0\1\0\0\0\1\0\0\0\10\6\24a;b 1\n' | flame-fold
