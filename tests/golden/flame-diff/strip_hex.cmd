printf 'main;0x7f12;f@0xFe+0x1 1\n0xg 1\n' >before
printf 'main;0x8f12;f@0xab+0x1 2\n' >after
flame-diff before after
flame-diff --strip-hex before after
