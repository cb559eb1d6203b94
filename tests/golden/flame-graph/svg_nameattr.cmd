printf '%s\t%s\t%s\t%s\n' main href=https://example.org/?a=1\&b=2 \
	title='<Main>' id=m draw 'href="x"' target=_blank x=y \
	evil href=JavaScript:alert%281%29 title=safe id=e > attributes
echo 'main;draw;evil 3' | flame-graph --nameattr attributes |
	sed -n '/<rect class/p'
