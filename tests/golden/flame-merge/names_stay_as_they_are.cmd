printf 'a\033b;\303\244\377 c;x_[j] 1\n' >one
flame-merge one one | od -c
