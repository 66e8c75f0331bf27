#if NATS
    extension Duration {
        /// At least one, also for less than a millisecond.
        var milliseconds: Int64 { max(1, nanoseconds / 1_000_000) }

        /// At most 292 years.
        var nanoseconds: Int64 {
            let (seconds, attoseconds) = components
            let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
            return overflow || carry ? (seconds < 0 ? .min : .max) : sum
        }
    }
#endif
