package sample

import (
	"errors"
	"fmt"
	"strings"
)

const limit = 10

type item struct {
	Name  string `json:"name"`
	Price int
}

type shelf struct {
	items []item
	count int
	open  bool
}

var errFull = errors.New("full")

func (s *shelf) add(one item, amount int) error {
	if amount <= 0 || one.Name == "" {
		return fmt.Errorf("no amount: %d", amount)
	}
	if len(s.items) >= limit && !s.open {
		return errFull
	}
	s.items = append(s.items, one)
	s.count += 1
	return nil
}

func (s *shelf) cheapest(most int) (item, bool) {
	best, found := item{Price: 1 << 30}, false
	for _, one := range s.items {
		if one.Price > most {
			continue
		}
		if strings.HasPrefix(one.Name, "out") {
			break
		}
		if one.Price < best.Price {
			best, found = one, true
		}
	}
	return best, found
}

func (s *shelf) names() []string {
	made := []string{}
	for at := 0; at < len(s.items); at++ {
		made = append(made, strings.ToLower(s.items[at].Name))
	}
	return made
}

func tail(all []int, from int) []int {
	rest := all[from:]
	return rest
}

func distance(from, to int) int {
	if from > to {
		return between(to, from)
	}
	return to - from
}

func between(low, high int) int {
	defer touch(low)
	kinds := map[string]int{"a": 1}
	kinds["b"] = high
	return kinds["b"] - low%2 + -low
}

func touch(n int) {
	n++
	fmt.Println(n)
}
