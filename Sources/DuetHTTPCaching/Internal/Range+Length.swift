extension Range<Int64> {
    /// How many bytes it has; their `count` is an `Int`, which has 32 bits on some devices.
    package var length: Int64 { upperBound - lowerBound }
}
