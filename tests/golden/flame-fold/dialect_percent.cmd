printf 'a;b 33.82%%\na 0.18%%\n' | flame-fold
printf '33.82%% a;b\n0.18%% a\n' | flame-fold -q
