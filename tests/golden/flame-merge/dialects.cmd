printf '# comment\r\na;b\t1\r\n\r\na;b 2\r\nc 4' | flame-merge
