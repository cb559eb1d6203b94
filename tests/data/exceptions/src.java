import java.util.*;
public class Ex {
  static void leaf(int i) { if (i % 2 == 0) throw new IllegalStateException("bad\nsecond line: x " + i); throw new NullPointerException(); }
  static void mid(int i) { try { leaf(i); } catch (IllegalStateException e) { RuntimeException r = new RuntimeException("wrapped", e); r.addSuppressed(new Exception("sup", new Error("inner"))); throw r; } }
  static void top(int i) { mid(i); }
  public static void main(String[] a) throws Exception {
    for (int i = 0; i < 5; i++) {
      try { top(i); } catch (Exception e) {
        System.err.println("2026-11-21 10:00:0" + i + ",123 ERROR [worker-" + (i % 2) + "] app.Job - failed task " + i);
        e.printStackTrace();
        System.err.println("2026-11-21 10:00:0" + i + ",200 INFO [main] app.Main - goes on");
      }
    }
    top(7);
  }
}
