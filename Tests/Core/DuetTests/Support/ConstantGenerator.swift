/// Returns the same number each time.
struct ConstantGenerator: RandomNumberGenerator {
    let number: UInt64

    func next() -> UInt64 { number }
}
