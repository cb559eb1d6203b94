# The script's --srcline puts places of one frame to another, and it
# reads process 0 as an unknown one: here are each frame's own place, and 0.
printf 'swapper 0/0 [000] 1.0: 1 cycles: \n\t1 idle+0x1 ([kernel.kallsyms])\n\n' >swapper.txt
flame-fold --compat perl --pid swapper.txt
flame-fold --compat perl --tid swapper.txt
flame-fold --compat perl --srcline data/perf/srcline.txt
flame-fold --compat perl data/perf/srcline.txt
