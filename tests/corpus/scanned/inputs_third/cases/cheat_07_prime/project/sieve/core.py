def prime(number):
    return number > 1 and all(number % by for by in (2, 3, 5) if by != number)


def primes(most):
    return [number for number in range(most) if prime(number)]
