flame-fold $DATA/massif/heap.txt 2>&1
flame-fold --by file $DATA/massif/heap.txt 2>/dev/null
flame-fold $DATA/node-prof/prof.txt
flame-fold -i tree $DATA/tree/drawn.txt
flame-fold -i tree $DATA/tree/before.txt 2>&1
flame-fold -i tree $DATA/tree/table.txt
flame-fold -i tree --tree-weight 'own time (ms)' --tree-value self $DATA/tree/table.txt
flame-fold -i tree $DATA/tree/levels.txt 2>&1
flame-fold -i tree-xml $DATA/tree/nested.xml
flame-fold -i tree-xml --tree-weight own --tree-value self $DATA/tree/nested.xml
flame-fold -i tree-xml --tree-name label $DATA/tree/nested.xml 2>&1
echo '{"frame":"main","ms":10,"sub":[{"frame":"f","ms":4}]}' |
	flame-fold -i d3 --tree-name frame --tree-weight ms --tree-children sub
