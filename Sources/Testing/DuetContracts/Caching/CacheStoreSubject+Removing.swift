#if Caching || HTTP

    import DuetCaching
    import Foundation

    extension CacheStoreSubject {
        func removesKeys() async throws {
            for number in 1...6 { try await insert(number) }
            try await insert(7, for: Self.key(2, scope: "ada"))
            try await store.remove([])
            try await expect(numbers: 1...6, of: 1...6)
            try await store.remove([Self.key(2), Self.key(9), Self.key(4), Self.key(2), Self.key(1, version: 2)])
            try await expect(numbers: [1, 3, 5, 6], of: 1...6)
            try await expect(Self.value(7), for: Self.key(2, scope: "ada"))
        }

        func removesExpiredValues() async throws {
            for moment in [-0.3, 1.0 / 3, 800_000_000] {
                let date = Date(timeIntervalSinceReferenceDate: moment)
                let dates: [Date?] = [
                    nil, Date(timeIntervalSinceReferenceDate: moment.nextDown), date,
                    Date(timeIntervalSinceReferenceDate: moment.nextUp), .distantFuture, .distantPast,
                ]
                for (number, date) in dates.enumerated() { try await insert(number, usableUntil: date) }
                // Expired values may be found until they are removed.
                try await store.removeExpired(at: date)
                try await expect(numbers: [0, 3, 4], of: dates.indices)
                try await store.removeAll()
            }
        }

        func removesEverything() async throws {
            var keys: [CacheKey] = []
            for number in 1...5 {
                for scope in [nil, "ada"] {
                    let key = Self.key(number, query: "Store.\(number % 2)", scope: scope)
                    try await insert(number, usableUntil: .distantFuture, tags: ["tag"], for: key)
                    keys.append(key)
                }
            }
            try await store.removeAll()
            for key in keys { try await expect(nil, for: key) }
            for query in ["Store.0", "Store.1"] { try await expect([], ofQuery: query) }
            let value = try await insert(1, tags: ["new"])
            try await markStale(.tag("tag"))
            try await expect(value)
        }
    }

#endif
