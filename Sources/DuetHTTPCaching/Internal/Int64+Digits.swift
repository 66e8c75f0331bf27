import DuetHTTP

extension Int64 {
    /// The number that nothing but digits tell; the largest there is for one that does not fit.
    init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for byte in digits {
            guard FieldSyntax.isDigit(byte) else { return nil }
            let (product, overflow) = multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            // What is the largest stays so, whatever digits follow.
            self = overflow || isTooLarge ? .max : sum
        }
    }
}
