# Folded stacks of one frame each are not mistaken for what dtrace prints.
printf 'unix`idle 500\nunix`swtch 7\n' | flame-fold
printf '\n              unix`idle\n              500\n' | flame-fold
