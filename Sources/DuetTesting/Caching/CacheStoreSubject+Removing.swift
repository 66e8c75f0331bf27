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

        func removesQueries() async throws {
            let keys = [
                Self.key(1), Self.key(2), Self.key(1, version: 2), Self.key(1, scope: ""), Self.key(1, scope: "ada"),
            ]
            let others = ["Store.Sample2", "Store.Sampl", "Store", "", "store.sample", "Store.Sample\u{0}"]
                .map { Self.key(1, query: $0) }
            for key in keys + others { try await insert(1, for: key) }
            try await store.removeAll(ofQuery: "Store.Sample")
            for key in keys { try await expect(nil, for: key) }
            for key in others { try await expect(Self.value(1), for: key) }
            try await expect([], ofQuery: "Store.Sample")
        }

        func removesTags() async throws {
            let tags = [["a"], ["b", "a"], ["ab"], ["A"], [], [""], ["a\u{0}"], ["b", "b"], [" a"]]
            for (number, tags) in tags.enumerated() { try await insert(number, tags: tags) }
            try await store.removeAll(tagged: "c")
            try await expect(numbers: tags.indices, of: tags.indices)
            try await store.removeAll(tagged: "a")
            try await expect(numbers: 2..<9, of: tags.indices)
            try await store.removeAll(tagged: "")
            try await expect(numbers: [2, 3, 4, 6, 7, 8], of: tags.indices)
            try await store.removeAll(tagged: "b")
            try await expect(numbers: [2, 3, 4, 6, 8], of: tags.indices)
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
            try await store.removeAll(tagged: "tag")
            try await expect(value, for: Self.key(1))
        }
    }

#endif
