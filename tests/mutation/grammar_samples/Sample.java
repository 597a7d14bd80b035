package sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

public class Sample<T extends Comparable<T>> {
    private static final int LIMIT = 10;
    private final List<T> items;
    private int count;
    private boolean open = true;

    public Sample(List<T> items) {
        this.items = items;
        this.count = items.size();
    }

    public boolean add(T item, int amount) {
        if (item == null || amount <= 0) {
            throw new IllegalArgumentException("no item");
        }
        if (items.size() >= LIMIT && !open) {
            return false;
        }
        items.add(item);
        count += 1;
        return items.contains(item);
    }

    public Optional<T> least(T most) {
        T best = null;
        for (T item : items) {
            if (item.compareTo(most) > 0) {
                continue;
            }
            if (best != null && best.equals(most)) {
                break;
            }
            best = item;
        }
        return Optional.ofNullable(best);
    }

    String read(Appendable out) {
        try {
            out.append("items: ");
            return out.toString();
        } catch (IOException error) {
            close();
            return "";
        }
    }

    void close() {
        if (!open) return;
        this.open = false;
        count--;
    }

    static long distance(int from, int to) {
        return from > to ? between(to, from) : between(from, to);
    }

    static long between(int low, int high) {
        long[] steps = {1L, 2L};
        int width = high - low;
        return width * steps[1] + (-low & 0xff) + (high >> 1);
    }

    static Integer price(Map<String, Integer> prices, Object name) {
        if (name instanceof String text && text.length() > 3) {
            return prices.get(text);
        }
        return switch (prices.size()) {
            case 0 -> 1;
            default -> 2;
        };
    }

    static List<String> named(List<String> all) {
        List<String> made = new ArrayList<>();
        all.forEach(one -> made.add(one.trim()));
        while (made.size() < 3) {
            made.add("none");
        }
        return made;
    }

    @Override
    public String toString() {
        return "Sample of " + count;
    }
}
