extension Range<Int64> {
    /// The number of bytes.
    ///
    /// `count` is an `Int`, which has 32 bits on some devices.
    package var length: Int64 { upperBound - lowerBound }
}
