/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.rdd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;

/* Iterators stacked upon iterators, which is what makes Spark's stacks deep. */
public final class RDD<T> {
	private final Iterator<T> rows;

	private RDD(Iterator<T> rows) {
		this.rows = rows;
	}

	public static <T> RDD<T> of(Iterator<T> rows) {
		return new RDD<>(rows);
	}

	public <U> RDD<U> map(Function<T, U> f) {
		return new RDD<>(new Iterator<U>() {
			public boolean hasNext() {
				return rows.hasNext();
			}

			public U next() {
				return f.apply(rows.next());
			}
		});
	}

	public RDD<T> filter(Predicate<T> keep) {
		return flatMap(row -> keep.test(row)
		    ? Collections.singleton(row).iterator() : Collections.emptyIterator());
	}

	public <U> RDD<U> flatMap(Function<T, Iterator<U>> f) {
		return new RDD<>(new Iterator<U>() {
			private Iterator<U> inner = Collections.emptyIterator();

			public boolean hasNext() {
				while (!inner.hasNext()) {
					if (!rows.hasNext())
						return false;
					inner = f.apply(rows.next());
				}
				return true;
			}

			public U next() {
				if (!hasNext())
					throw new NoSuchElementException();
				return inner.next();
			}
		});
	}

	public Iterator<T> iterator() {
		return rows;
	}

	public List<T> toList() {
		List<T> list = new ArrayList<>();
		rows.forEachRemaining(list::add);
		return list;
	}
}
