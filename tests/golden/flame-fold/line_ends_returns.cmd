# Line ends of the old Mac.
printf 'a;b 1\ra;c 2\r' | flame-fold
printf 'a;b 1\ra;c 2' | flame-fold
printf 'app 5 1.5: 1 cycles: \r\t 1000 f (/x)\r\t 2000 g (/x)\r\r' | flame-fold
