# A line may be longer than what most formats are recognised by.
{ head -c 3000000 /dev/zero | tr '\0' a; echo ';b 3'; echo 'c 1'; } >in
flame-fold in | cut -c 2999990-
flame-fold <in | cksum
flame-fold in | cksum
