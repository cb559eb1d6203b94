# Columns after a stack: physical addresses, page sizes, cgroups with blanks,
# instructions, registers, branches, IPC.  Each input has a sample with each
# of them, and two frames with their modules; a terminal has made tabs blanks
# in the second.
sample() {
	printf 'app  12 [001] 5.5:  250000 cycles:u: \n'
	printf '%s  55d0c0de0a10 leaf+0x10 (/usr/bin/app)\n' "$1"
	printf '%s  55d0c0de0b10 main+0x20 (/usr/bin/app)\n' "$1"
	printf '%s\n' "$2"
}
samples() {
	while IFS= read -r columns; do
		sample "$1" "$columns"
	done <<'END'
      1a2b3c4d5e
      1a2b3c4d5e 4K N/A
      1a2b3c4d5e /user.slice/a b/session-1.scope
 ABI:2    AX:0x17d0a    BX:0x0  /user.slice
 0x55d0c0de0a10/0x55d0c0de0a20/P/-/-/3  /user.slice 	 IPC: 0.52 (12/23) 
 ilen: 3 insn: 48 01 c2       1a2b3c4d5e 4K 4K / 	 IPC: 0.52 (12/23) 
      1a2b3c4d5e 4K 2M /a b 	 IPC: 0.52 (12/23) 
 	 IPC: 1.00 (1/1) 
END
}
samples '	' | flame-fold
samples '        ' | flame-fold
# No column that is known, and no module: reported.
sample '	' '   55d0c0de0c10 other' | flame-fold
# Frames without modules stay what they are.
printf 'app  12 5.5: cycles: \n\t  55d0 leaf\n\t  55d1 main\n\n' | flame-fold
