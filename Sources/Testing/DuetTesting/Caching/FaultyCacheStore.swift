#if Caching || HTTP

    import Duet
    public import DuetCaching
    public import Foundation

    /// A store that forwards to another one, and fails, waits, hangs, or changes bytes on command.
    ///
    /// The next insertion into this store throws, and changes nothing:
    ///
    /// ```swift
    /// let store = FaultyCacheStore()
    /// store.inject(.failure(DiskFull()), into: .insert, at: 1)
    /// ```
    public final class FaultyCacheStore: CacheStore {
        /// A function of a store.
        public enum Operation: CaseIterable, Hashable, Sendable {
            /// Reading a value.
            case value
            /// Storing a value.
            case insert
            /// Reading the stamp.
            case stamp
            /// Noting that values of a query may be stale.
            case noteDoubt
            /// Ending such notes.
            case endDoubts
            /// Marking values as stale.
            case markStale
            /// Changing the bytes of stale values.
            case updateStale
            /// Removing the values of keys.
            case remove
            /// Removing expired values.
            case removeExpired
            /// Noting that all values are to be removed.
            case noteRemoval
            /// Removing all values.
            case removeAll
        }

        /// A fault of one call.
        public enum Fault: Sendable {
            /// Throws an error and does nothing.
            case failure(any Error)
            /// Waits until a gate is open. A canceled wait throws `CancellationError` and does nothing.
            case delay(Gate)
            /// Waits until ``FaultyCacheStore/heal()``. A canceled wait throws `CancellationError` and does nothing.
            case hang
            /// Reads or stores only the first bytes of a value.
            case truncation(to: Int)
            /// Reads or stores other bytes in place of those of a value.
            case swap(Data)
        }

        private struct Injection {
            let fault: Fault
            let operation: Operation?
            /// The number of matching calls without the fault.
            var skipCount: Int
            let isRepeated: Bool
        }

        private struct State {
            var calls: [Operation] = []
            var injections: [Injection] = []
            var hang = Gate()

            mutating func takeFault(of operation: Operation) -> Fault? {
                calls.append(operation)
                var due: Int?
                for (index, injection) in injections.enumerated()
                where injection.operation == nil || injection.operation == operation {
                    if injection.skipCount > 0 {
                        injections[index].skipCount -= 1
                    } else if due == nil {
                        due = index
                    }
                }
                guard let due else { return nil }
                let injection = injections[due]
                if !injection.isRepeated { injections.remove(at: due) }
                return injection.fault
            }
        }

        private let base: any CacheStore
        private let state = Monitor(State())

        /// Creates a store in front of another one, by default an empty one in memory.
        public init(_ base: any CacheStore = InMemoryCacheStore()) {
            self.base = base
        }

        /// The location of the other store.
        public var location: String? { base.location }

        /// The calls so far, in order, with those that failed or still wait.
        public var calls: [Operation] { state.read(\.calls) }

        /// Returns the number of calls of one function.
        public func callCount(of operation: Operation) -> Int {
            calls.count { $0 == operation }
        }

        /// Waits until there have been a number of calls in total.
        ///
        /// Calls that still wait count, too.
        package func calls(_ number: Int) async {
            await state.waitEvenIfCanceled { $0.calls.count >= number }
        }

        /// Injects a fault into one call, counted from now on.
        ///
        /// - Parameters:
        ///   - fault: The fault.
        ///   - operation: The function whose calls count; nil for all.
        ///   - number: The number of the call: 1 for the next.
        public func inject(_ fault: Fault, into operation: Operation? = nil, at number: Int = 1) {
            inject(fault, operation, skipping: number - 1, isRepeated: false)
        }

        /// Injects a fault into each call from a number on, until ``heal()``.
        ///
        /// - Parameters:
        ///   - fault: The fault.
        ///   - operation: The function whose calls count; nil for all.
        ///   - number: The number of the first such call: 1 for the next.
        public func inject(_ fault: Fault, into operation: Operation? = nil, from number: Int) {
            inject(fault, operation, skipping: number - 1, isRepeated: true)
        }

        private func inject(_ fault: Fault, _ operation: Operation?, skipping count: Int, isRepeated: Bool) {
            precondition(count >= 0, "The first call has the number 1.")
            state.update {
                $0.injections.append(
                    Injection(fault: fault, operation: operation, skipCount: count, isRepeated: isRepeated)
                )
            }
        }

        /// Removes all faults, and resumes the calls that hang.
        public func heal() {
            let hang = state.update { state in
                defer { state.hang = Gate() }
                state.injections = []
                return state.hang
            }
            hang.open()
        }

        /// Returns the value of a key.
        public func value(for key: CacheKey) async throws -> StoredValue? {
            let change = try await begin(.value)
            return try await base.value(for: key).map(change)
        }

        /// Stores a value.
        public func insert(_ value: StoredValue, for key: CacheKey) async throws {
            let change = try await begin(.insert)
            try await base.insert(change(value), for: key)
        }

        /// Returns the stamp.
        public func stamp(for writer: UUID) async throws -> Int64 {
            try await begin(.stamp)
            return try await base.stamp(for: writer)
        }

        /// Notes that values of a query may be stale.
        public func noteDoubt(query name: String, by writer: UUID) async throws -> Int64? {
            try await begin(.noteDoubt)
            return try await base.noteDoubt(query: name, by: writer)
        }

        /// Ends notes.
        public func endDoubts(_ numbers: [Int64]) async throws {
            try await begin(.endDoubts)
            try await base.endDoubts(numbers)
        }

        /// Marks values as stale.
        public func markStale(_ values: StoredValues, by writer: UUID) async throws {
            try await begin(.markStale)
            try await base.markStale(values, by: writer)
        }

        /// Changes the bytes of stale values.
        public func updateStale(
            query name: String,
            _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
        ) async throws {
            try await begin(.updateStale)
            try await base.updateStale(query: name, change)
        }

        /// Removes the values of keys.
        public func remove(_ keys: [CacheKey]) async throws {
            try await begin(.remove)
            try await base.remove(keys)
        }

        /// Removes expired values.
        public func removeExpired(at date: Date) async throws {
            try await begin(.removeExpired)
            try await base.removeExpired(at: date)
        }

        /// Notes that all values are to be removed.
        public func noteRemoval() async throws -> Bool {
            try await begin(.noteRemoval)
            return try await base.noteRemoval()
        }

        /// Removes all values.
        public func removeAll() async throws {
            try await begin(.removeAll)
            try await base.removeAll()
        }

        /// Counts a call and applies its fault.
        ///
        /// - Returns: The change that the fault makes to a value.
        @discardableResult
        private func begin(_ operation: Operation) async throws -> @Sendable (StoredValue) -> StoredValue {
            let (fault, hang) = state.update { ($0.takeFault(of: operation), $0.hang) }
            switch fault {
            case nil: break
            case .failure(let error): throw error
            case .delay(let gate): try await gate.pass()
            case .hang: try await hang.pass()
            case .truncation(let count): return { $0.with(bytes: $0.bytes.prefix(count)) }
            case .swap(let bytes): return { $0.with(bytes: bytes) }
            }
            return \.self
        }
    }

    extension StoredValue {
        fileprivate func with(bytes: Data) -> StoredValue {
            var value = self
            value.bytes = bytes
            return value
        }
    }

#endif
