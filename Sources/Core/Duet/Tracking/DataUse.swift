import Synchronization

/// A load or a command, with what its tasks read from tracked sources and write to them.
package final class DataUse: Sendable {
    package enum Work: Sendable {
        /// The load of a value, with its place among the loads that cause each other.
        case load((any Sendable)?)
        /// The dispatch of a command, whose reads belong to nobody.
        case command(any Command)
        /// A command whose end tells other nodes what it has written.
        case carried
        /// Work whose reads do not matter.
        case exempt
    }

    package struct Record: Sendable {
        package var reads: Set<DataName> = []
        /// Something that was read and that nobody can track; nil for nothing.
        package var door: String?
        package var writes: Set<DataName> = []
        /// Whether more was written than is known.
        package var isWriteUnknown = false
        /// Whether a command that wrote nothing may have done so before.
        fileprivate var mayBeRepeat = false
        /// The number of accesses that have not said what they read.
        package var openReads = 0
        /// Reads and writes of nobody knows whom.
        fileprivate var charges: [Charge] = []
        fileprivate var hasEnded = false
        /// The first cached value that was used, as long as nothing else was.
        fileprivate var kept: KeptValue?

        package init() {}

        package mutating func noteRead(_ names: Set<DataName>, door: String? = nil) {
            reads.formUnion(names)
            self.door = self.door ?? door
        }

        /// Adds what may have been read from some sources, or written to them.
        package mutating func addCharges(from isIncluded: (DataTracker) -> Bool) {
            for charge in charges where isIncluded(charge.source) {
                reads.formUnion(charge.reads)
                writes.formUnion(charge.writes)
                door = door ?? charge.door
            }
            if openReads > 0 { door = "an access that has not ended" }
        }

        /// The names that were read, for another process, or with more than 30 of them those of the tables; nil if
        /// there are too many, if each write matters, or if nobody can track all of it.
        package var told: Set<DataName>? {
            let names = reads.filter { !$0.source.name.isEmpty && !$0.isEverything }
            guard door == nil, reads.isDisjoint(with: writes), !names.isEmpty, !names.contains(where: \.isAnything)
            else { return nil }
            guard names.count > 30 else { return names }
            let tables = Set(names.map { $0.source.isRemote ? $0 : DataName($0.source, $0.table, .whole) })
            return tables.count > 31 || !tables.isDisjoint(with: writes) ? nil : tables
        }
    }

    /// Names of one source that may belong to each load, or to each command.
    struct Charge {
        let source: DataTracker
        var reads: Set<DataName> = []
        var writes: Set<DataName> = []
        var door: String?
    }

    /// The innermost one of the current task.
    @TaskLocal package static var current: DataUse?
    private static let isAny = Atomic(false)
    /// All that run.
    private static let running = Mutex<[ObjectIdentifier: DataUse]>([:])

    /// Whether there has been any, or something to track, because looking for one takes half as long as a dispatch.
    @inline(__always)
    package static var areUsed: Bool { isAny.load(ordering: .relaxed) }

    /// Whether there is a load to which a read of nobody knows whom may belong.
    package static var runsLoads: Bool { running.withLock { $0.values.contains(where: \.isLoad) } }

    package let work: Work
    private let outer: DataUse?
    private let state = Mutex(Record())

    package init(_ work: Work, in outer: DataUse? = DataUse.current) {
        self.work = work
        self.outer = outer
        Self.begin()
    }

    package static func begin() { isAny.store(true, ordering: .relaxed) }

    /// Work that is in none other; nil if there is nothing to track.
    package static func ifUsed(_ work: Work) -> DataUse? { areUsed ? DataUse(work, in: nil) : nil }

    package var record: Record {
        state.withLock { state in
            var record = state
            record.kept.take()?.noteUse(in: &record)
            record.isWriteUnknown = record.isWriteUnknown || record.mayBeRepeat && record.writes.isEmpty
            return record
        }
    }

    package var isLoad: Bool { if case .load = work { true } else { false } }

    /// The innermost load.
    package var load: (any Sendable)? { if case .load(let load) = work { load } else { outer?.load } }

    /// The innermost command; nil if that has ended.
    package var command: DataUse? {
        if case .command = work { state.withLock(\.hasEnded) ? nil : self } else { outer?.command }
    }

    /// Whether the end of a command names for other nodes what this work writes.
    package var isCarried: Bool {
        if case .carried = work { state.withLock { !$0.hasEnded } } else { outer?.isCarried ?? false }
    }

    /// The commands of the current task, the innermost first.
    package var commands: [DataUse] { command.map { [$0] + ($0.outer?.commands ?? []) } ?? [] }

    package func run<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        Self.running.withLock { $0[ObjectIdentifier(self)] = self }
        defer { Self.running.withLock { $0[ObjectIdentifier(self)] = nil } }
        return try await Self.$current.withValue(self, operation: operation)
    }

    /// Runs an operation for a load or a command, if something is tracked.
    @inline(__always)
    package static func run<Value>(
        _ use: DataUse?,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        if let use { try await use.run(operation) } else { try await operation() }
    }

    /// Notes that the command has ended, so that what a task of it does later is other work.
    package func end() { state.withLock { $0.hasEnded = true } }

    package func beginRead() { state.withLock { $0.openReads += 1 } }

    package func noteRead(_ names: Set<DataName>, door: String? = nil, ends: Int = 0) {
        noteReads { record in
            record.noteRead(names, door: door)
            record.openReads -= ends
        }
    }

    package func noteReads(_ note: (inout Record) -> Void) { if isLoad { state.withLock { note(&$0) } } }

    /// Notes the use of a cached value.
    package func noteUse(of value: KeptValue) {
        noteReads { record in
            if record.kept == nil { record.kept = value } else { value.noteUse(in: &record) }
        }
    }

    /// The cached value that was used, if nothing else was.
    package var onlyValue: KeptValue? {
        state.withLock { record in
            record.reads.isEmpty && record.door == nil && record.writes.isEmpty && !record.isWriteUnknown
                && record.openReads == 0 && record.charges.isEmpty ? record.kept : nil
        }
    }

    /// Adds to all running loads, or to all running commands, what belongs to nobody knows whom.
    static func charge(_ charge: Charge, toLoads: Bool) {
        for use in running.withLock({ Array($0.values) }) where use.isLoad == toLoads {
            use.state.withLock { record in
                guard let index = record.charges.firstIndex(where: { $0.source === charge.source }) else {
                    return record.charges.append(charge)
                }
                record.charges[index].reads.formUnion(charge.reads)
                record.charges[index].writes.formUnion(charge.writes)
                record.charges[index].door = record.charges[index].door ?? charge.door
            }
        }
    }

    /// Notes that the current load has read something that nobody can track.
    ///
    /// - Parameter door: A description for the developer.
    package static func noteDoor(_ door: @autoclosure () -> String) {
        guard areUsed, let use = current, use.isLoad else { return }
        use.noteRead([], door: door())
    }

    /// Notes that the current work depends on whether it was done before.
    package static func noteKey() {
        noteDoor("the idempotency key")
        if areUsed { current?.change { $0.mayBeRepeat = true } }
    }

    /// Notes what was written, also for the loads around this one, which may have read it.
    ///
    /// - Parameter names: Nil if it is not known.
    package func noteWrite(_ names: Set<DataName>?) {
        change { record in
            if let names { record.writes.formUnion(names) } else { record.isWriteUnknown = true }
        }
    }

    private func change(_ body: @Sendable (inout Record) -> Void) {
        state.withLock { body(&$0) }
        outer?.change(body)
    }
}

/// The owner of a read.
package enum DataOwner: Sendable {
    case use(DataUse)
    /// A request, or work of the program.
    case nobody
    /// It may be any load.
    case unknown

    package static var current: DataOwner {
        if let use = DataUse.current { return .use(use) }
        return Caller.current.isServed || Caller.current.authority != nil ? .nobody : .unknown
    }

    package var use: DataUse? { if case .use(let use) = self { use } else { nil } }
}
