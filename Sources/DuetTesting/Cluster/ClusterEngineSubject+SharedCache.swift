#if Cluster

    import DuetCluster
    import Foundation

    extension ClusterEngineSubject {
        private static let hour = Duration.seconds(3_600)

        private func insert(
            _ text: String,
            for key: String = "key",
            ifRevision: UInt64? = nil,
            on node: ClusterNode
        ) async throws -> UInt64? {
            try await node.engine.sharedCache.insert(
                Envelope(text),
                for: key,
                lifetime: Self.hour,
                ifRevision: ifRevision
            )
        }

        /// Expects the text and the revision of an entry.
        private func expectEntry(
            _ text: String?,
            _ revision: UInt64?,
            of key: String = "key",
            on node: ClusterNode
        ) async throws {
            let entry = try await node.engine.sharedCache.entry(for: key)
            try expect(entry?.envelope.text, toBe: text, "the entry of \"\(key)\"")
            try expect(entry?.revision, toBe: revision, "the revision of \"\(key)\"")
        }

        func sharesEntries() async throws {
            let (one, two) = (try await node(), try await node())
            let keys = [
                "key", "", "a.b", "a.*", ">", "a b", "\u{3A9}\u{1F600}", "a\r\nb", String(repeating: "k", count: 2_000),
            ]
            for key in keys { try await expectEntry(nil, nil, of: key, on: two) }
            for (number, key) in keys.enumerated() {
                let sample = Envelope.samples[number % Envelope.samples.count]
                let cache = one.engine.sharedCache
                let revision = try await cache.insert(sample, for: key, lifetime: Self.hour, ifRevision: nil)
                for node in [one, two] {
                    let entry = try await node.engine.sharedCache.entry(for: key)
                    try expect(entry?.envelope, toBe: sample, "the entry of \"\(key)\"")
                    try expect(entry?.revision, toBe: revision, "the revision of \"\(key)\"")
                }
            }
            try await expectEntry(nil, nil, of: "A.B", on: two)
        }

        func expiresEntries() async throws {
            let (one, two) = (try await node(), try await node())
            let lifetime = Duration.milliseconds(300)
            _ = try await one.engine.sharedCache.insert(Envelope("1"), for: "key", lifetime: lifetime, ifRevision: nil)
            let long = try await insert("2", for: "long", on: one)
            try await eventually("an entry expires after \(lifetime)") {
                try await two.engine.sharedCache.entry(for: "key") == nil ? nil : "is there"
            }
            try await expectEntry("2", long, of: "long", on: two)
            let revision = try await insert("3", ifRevision: 0, on: two)
            try expect(revision != nil, toBe: true, "an entry is inserted after the other one expired")
            try await expectEntry("3", revision, on: one)
        }

        func comparesRevisions() async throws {
            let (one, two) = (try await node(), try await node())
            try expect(
                try await insert("0", ifRevision: 5, on: one),
                toBe: nil,
                "the revision in place of a missing entry"
            )
            try await expectEntry(nil, nil, on: two)
            let first = try await insert("1", ifRevision: 0, on: one) ?? 0
            try await expectEntry("1", first, on: two)
            try expect(
                try await insert("2", ifRevision: 0, on: two),
                toBe: nil,
                "the revision in place of an existing entry"
            )
            let second = try await insert("2", on: two) ?? 0
            try expect(second > first, toBe: true, "the second revision is larger")
            try expect(
                try await insert("3", ifRevision: first, on: one),
                toBe: nil,
                "the revision in place of a later entry"
            )
            try await expectEntry("2", second, on: one)
            let third = try await insert("3", ifRevision: second, on: one) ?? 0
            try expect(third > second, toBe: true, "the third revision is larger")
            try await expectEntry("3", third, on: two)
        }

        func choosesOneReplacement() async throws {
            let (one, two) = (try await node(), try await node())
            let first = try await insert("0", on: one)
            let revisions = try await withThrowingTaskGroup(of: (text: String, revision: UInt64?).self) { group in
                for number in 1...10 {
                    group.addTask { [self] in
                        let node = number % 2 == 0 ? one : two
                        return ("\(number)", try await insert("\(number)", ifRevision: first, on: node))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let winners = revisions.filter { $0.revision != nil }
            try expect(winners.count, toBe: 1, "the number of concurrent replacements that succeed")
            try await expectEntry(winners[0].text, winners[0].revision, on: two)
        }

        func removesEntries() async throws {
            let (one, two) = (try await node(), try await node())
            try await one.engine.sharedCache.remove("unknown")
            let first = try await insert("1", on: one) ?? 0
            let other = try await insert("2", for: "other", on: one)
            try await two.engine.sharedCache.remove("key")
            for node in [one, two] { try await expectEntry(nil, nil, on: node) }
            try await expectEntry("2", other, of: "other", on: one)
            let later = try await insert("3", ifRevision: 0, on: one) ?? 0
            try expect(later > first, toBe: true, "the revision after the removal is larger")
            try await expectEntry("3", later, on: two)
        }

        func refusesLargeEntries() async throws {
            let (one, two) = (try await node(), try await node())
            try await expectLimit(of: "an entry") { envelope in
                let cache = one.engine.sharedCache
                _ = try await cache.insert(envelope, for: "key", lifetime: Self.hour, ifRevision: nil)
                let found = try await two.engine.sharedCache.entry(for: "key")
                try expect(found?.envelope == envelope, toBe: true, "the entry is stored unchanged")
            }
        }
    }

#endif
