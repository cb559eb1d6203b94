mkdir -p app-1/exec-12 app-1/driver
printf 'a;b 1\n' >app-1/exec-12/x.folded
printf 'a;b 2\n' >app-1/driver/x.folded
flame-filter --by 'path=exec-(\d+)' app-1/*/x.folded
flame-filter --by file app-1/*/x.folded
flame-filter --by 'file,path=[^/]{6,}' app-1/*/x.folded
flame-filter --by path app-1/*/x.folded
