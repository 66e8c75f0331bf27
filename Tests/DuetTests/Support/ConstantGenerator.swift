/// One number, again and again.
struct ConstantGenerator: RandomNumberGenerator {
    let number: UInt64

    func next() -> UInt64 { number }
}
