# As PowerShell's > writes it.
printf '\377\376a\0;\0b\0 \0001\0\r\0\n\0\351\0 \0002\0\r\0\n\0' | flame-fold
