#if Caching || HTTP

    package import DuetCaching
    package import Duet
    package import Foundation

    /// A store of commands under test, with sample commands and expectations.
    package struct CommandStoreSubject: Sendable {
        package let store: any CommandStore

        package init(_ store: any CommandStore) {
            self.store = store
        }

        /// Returns a command that identifies a number below 256, with a date that has no short decimal form.
        package static func command(
            _ number: Int,
            name: String = "Store.Sample",
            key: String = "key",
            principal: Principal? = nil,
            isServed: Bool = false,
            count: Int = 100
        ) -> StoredCommand {
            StoredCommand(
                id: id(number),
                name: name,
                version: 3,
                key: key,
                // Later commands have earlier dates, because the order must not depend on dates.
                date: Date(timeIntervalSinceReferenceDate: 800_000_000.1 - Double(number) / 3),
                idempotencyKey: "idempotency key",
                principal: principal,
                isServed: isServed,
                bytes: CacheStoreSubject.bytes(number, count: count),
                attempts: 0,
                failure: nil
            )
        }

        /// Returns the identifier of a sample command.
        package static func id(_ number: Int) -> UUID {
            let low = UInt8(number & 0xFF)
            return UUID(uuid: (255 - low, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(number >> 8 & 0xFF), low))
        }

        package func expect(_ commands: [StoredCommand], _ what: String = "all()") async throws {
            let found = try await store.all()
            try require(found.map(\.id), toBe: commands.map(\.id), "the identifiers of \(what)")
            for (found, command) in zip(found, commands) {
                try require(found.bytes == command.bytes, "\(what) returns the bytes")
                try require(
                    found.date.timeIntervalSinceReferenceDate.bitPattern,
                    toBe: command.date.timeIntervalSinceReferenceDate.bitPattern,
                    "the bits of the date of \(what)"
                )
                try require(found, toBe: command, what)
            }
        }

        func insert(_ numbers: some Sequence<Int>) async throws {
            for number in numbers { try await store.insert(Self.command(number)) }
        }

        func expect(numbers: [Int]) async throws { try await expect(numbers.map { Self.command($0) }) }
    }

    // MARK: Clauses

    extension CommandStoreSubject {
        func hasNothing() async throws {
            try await expect([])
            try await store.remove([])
            try await store.removeAll()
            try await expect([])
        }

        func keepsCommands() async throws {
            try await insert(1...3)
            for _ in 1...2 { try await expect(numbers: [1, 2, 3]) }
        }

        func keepsTexts() async throws {
            var commands: [StoredCommand] = []
            for (number, text) in ["", "a\u{0}b", "'; --", "\u{1F600}", "e\u{301}", " \n"].enumerated() {
                let principal = Principal(id: text, scopes: number == 0 ? [] : [text, "write"])
                let (isServed, count) = (number % 2 == 1, number == 0 ? 0 : 10)
                commands.append(
                    Self.command(number, name: text, key: text, principal: principal, isServed: isServed, count: count)
                )
                try await store.insert(commands[number])
            }
            try await expect(commands)
            for index in commands.indices {
                let name = commands[index].name
                commands[index].failure = name
                try await store.update(commands[index].id, attempts: 0, failure: name, isRetried: false)
            }
            try await expect(commands)
        }

        func keepsLargeCommands() async throws {
            let command = Self.command(1, count: 5_000_000)
            try await store.insert(command)
            try await expect([command])
        }

        func keepsTheOrder() async throws {
            let numbers = [5, 1, 4, 2, 3]
            try await insert(numbers)
            try await expect(numbers: numbers)
        }

        func updates() async throws {
            try await insert(1...3)
            var commands = (1...3).map { Self.command($0) }
            for (attempts, failure, isRetried) in [
                (1, nil, false), (2, "Rejected", false), (3, nil, true), (3, "", true), (3, "", false),
            ] as [(Int, String?, Bool)] {
                commands[1].attempts = attempts
                commands[1].failure = failure
                commands[1].isRetried = isRetried
                try await store.update(Self.id(2), attempts: attempts, failure: failure, isRetried: isRetried)
                try await expect(commands)
            }
        }

        func ignoresUnknownCommands() async throws {
            try await insert(1...2)
            try await store.update(Self.id(3), attempts: 7, failure: "Rejected", isRetried: false)
            try await store.remove([Self.id(3)])
            try await store.remove([Self.id(2), Self.id(2)])
            try await store.update(Self.id(2), attempts: 7, failure: nil, isRetried: false)
            try await expect(numbers: [1])
        }

        func removes() async throws {
            try await insert(1...5)
            try await store.remove([Self.id(4), Self.id(2)])
            try await expect(numbers: [1, 3, 5])
            // The last one was the last in the order, too.
            try await store.remove([Self.id(5)])
            try await insert([0, 2])
            try await expect(numbers: [1, 3, 0, 2])
        }

        func removesEverything() async throws {
            try await insert(1...3)
            try await store.removeAll()
            try await expect([])
            try await insert([2])
            try await expect(numbers: [2])
        }

        func refusesOneMore() async throws {
            try await insert(1...3)
            do {
                try await store.insert(Self.command(4))
                throw ContractViolation("insert(_:) into a full store: expected CommandStoreFull, found no error")
            } catch is CommandStoreFull {
                try await expect(numbers: [1, 2, 3])
            }
            try await store.remove([Self.id(2)])
            try await insert([4])
            try await expect(numbers: [1, 3, 4])
            try await store.removeAll()
            try await insert(1...3)
            try await expect(numbers: [1, 2, 3])
        }

        func countsRequests() async throws {
            try await insert(1...3)
            try await store.requestSending(of: [Self.id(3), Self.id(1), Self.id(4)])
            try await store.requestSending(of: [Self.id(3)])
            var commands = (1...3).map { Self.command($0) }
            commands[0].sendRequests = 1
            commands[2].sendRequests = 2
            try await expect(commands)
        }

        /// - Parameter other: Another object for the same commands.
        func countsChanges(_ other: CommandStoreSubject) async throws {
            let first = try await store.revision()
            let changes: [(String, (any CommandStore) async throws -> Void)] = [
                ("insert(_:)", { try await $0.insert(Self.command(1)) }),
                (
                    "update(_:attempts:failure:isRetried:)",
                    { try await $0.update(Self.id(1), attempts: 1, failure: "", isRetried: false) }
                ),
                ("requestSending(of:)", { try await $0.requestSending(of: [Self.id(1), Self.id(2)]) }),
                (
                    "an update of nothing",
                    { try await $0.update(Self.id(2), attempts: 1, failure: nil, isRetried: false) }
                ),
                ("remove(_:)", { try await $0.remove([Self.id(1)]) }),
                ("a removal of nothing", { try await $0.remove([]) }),
            ]
            var count = 0
            for (name, change) in changes {
                for changed in [store, other.store] {
                    // An identifier is inserted once.
                    if name == "insert(_:)", count > 0 { continue }
                    try await change(changed)
                    count += 1
                    for subject in [self, other] {
                        _ = try await subject.store.all()
                        let revision = try await subject.store.revision()
                        try require(revision - first, toBe: count, "the changes after \(name)")
                    }
                }
            }
            try await other.store.removeAll()
            for _ in 0...count {
                let isOld = try await store.revision() == first + count
                try require(isOld, toBe: false, "the revision repeats after removeAll()")
                try await other.store.remove([])
            }
        }

        func claims(_ other: CommandStoreSubject) async throws {
            for _ in 1...2 {
                let claim = try await store.claimSending()
                try require(claim != nil, "claimSending() returns a claim")
                for subject in [self, other] {
                    let second = try await subject.store.claimSending()
                    try require(second == nil, "claimSending() returns nil during a claim")
                }
                withExtendedLifetime(claim) {}
            }
            let claim = try await other.store.claimSending()
            try require(claim != nil, "claimSending() returns a claim after the end of another")
        }

        func notifies(_ other: CommandStoreSubject) async throws {
            var changes = store.changes.makeAsyncIterator()
            try await other.insert([1])
            try require(await changes.next() != nil, "an element arrives after a change")
            var claim = try await other.store.claimSending()
            try require(claim != nil, "claimSending() returns a claim")
            claim = nil
            try require(await changes.next() != nil, "an element arrives after a claim")
        }

        func storesConcurrentCommands() async throws {
            try await withThrowingTaskGroup { group in
                for number in 1...50 { group.addTask { try await store.insert(Self.command(number)) } }
                try await group.waitForAll()
            }
            let found = try await store.all()
            try require(found.count, toBe: 50, "the number of commands")
            try require(Set(found), toBe: Set((1...50).map { Self.command($0) }), "the commands")
        }

        func endures(_ open: () async throws -> any CommandStore) async throws {
            try await insert([3, 1, 2])
            try await store.update(Self.id(1), attempts: 2, failure: "Rejected", isRetried: true)
            var commands = [3, 1, 2].map { Self.command($0) }
            commands[1].attempts = 2
            commands[1].failure = "Rejected"
            commands[1].isRetried = true
            let again = try await CommandStoreSubject(open())
            try await again.expect(commands)
            try await again.store.remove([Self.id(3)])
            try await again.insert([4])
            commands.removeFirst()
            try await CommandStoreSubject(open()).expect(commands + [Self.command(4)])
        }
    }

#endif
