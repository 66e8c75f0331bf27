import DuetHTTP

extension Int64 {
    /// Reads a number that consists of digits only, limited to the largest value.
    init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for byte in digits {
            guard FieldSyntax.isDigit(byte) else { return nil }
            let (product, overflow) = multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            // The largest value stays, whatever digits follow.
            self = overflow || isTooLarge ? .max : sum
        }
    }
}
