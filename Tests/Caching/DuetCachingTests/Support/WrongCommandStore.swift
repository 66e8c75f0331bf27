import DuetCaching
import DuetTesting
import Foundation

/// A store that does one thing wrong.
struct WrongCommandStore: CommandStore {
    enum Fault: CaseIterable {
        case reversesOrder, forgetsUpdates, forgetsRemovals, ignoresRequests, countsRequestsOnce
        case countsReads, countsOnlyInsertions, countsRemovedCommands, keepsRevision
        case claimsTwice, keepsClaims, claimsNothing, isSilent
    }

    /// The clause that detects a fault.
    static func clause(for fault: Fault) -> String {
        switch fault {
        case .reversesOrder: "commands come back in the order in which they were added"
        case .forgetsUpdates: "an update changes the attempts and the failure of one command"
        case .forgetsRemovals: "removing commands leaves the others in order"
        case .ignoresRequests, .countsRequestsOnce: "a request to send is counted for the commands that are meant"
        case .countsReads, .countsOnlyInsertions, .countsRemovedCommands, .keepsRevision:
            "each change increases the revision by one"
        case .claimsTwice, .keepsClaims, .claimsNothing: "one claim to send exists at a time"
        case .isSilent: "a reader is notified of changes"
        }
    }

    let fault: Fault
    let store: InMemoryCommandStore
    private let counts = FailingCommandStore()
    private let claims = InMemoryCommandStore()

    init(_ fault: Fault, _ limit: CommandStoreLimit) {
        self.fault = fault
        store = InMemoryCommandStore(limit: limit)
    }

    func insert(_ command: StoredCommand) async throws {
        try await store.insert(command)
        try await counts.remove([])
    }

    func all() async throws -> [StoredCommand] {
        if fault == .countsReads { try await counts.remove([]) }
        let commands = await store.all()
        return fault == .reversesOrder ? commands.reversed() : commands
    }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        guard fault != .forgetsUpdates else { return }
        await store.update(id, attempts: attempts, failure: failure, isRetried: isRetried)
        if fault != .countsOnlyInsertions { try await counts.remove([]) }
    }

    func remove(_ ids: [UUID]) async throws {
        if fault != .forgetsRemovals { await store.remove(ids) }
        for _ in fault == .countsRemovedCommands ? ids : [UUID()] { try await counts.remove([]) }
    }

    func requestSending(of ids: [UUID]) async throws {
        let isKnown = await store.all().contains { $0.sendRequests > 0 }
        if fault != .ignoresRequests, fault != .countsRequestsOnce || !isKnown { await store.requestSending(of: ids) }
        try await counts.remove([])
    }

    func removeAll() async throws {
        await store.removeAll()
        if fault != .keepsRevision { try await counts.remove([]) }
    }

    func claimSending() async throws -> SendingClaim? {
        switch fault {
        case .claimsTwice: return SendingClaim {}
        case .claimsNothing: return nil
        case .keepsClaims:
            let claim = await claims.claimSending()
            return claim.map { claim in
                // It never ends.
                Task.detached {
                    try? await Gate().pass(); withExtendedLifetime(claim) {}
                }
                return SendingClaim {}
            }
        default: return await store.claimSending()
        }
    }

    func revision() async throws -> Int { counts.count(of: .remove) }

    var changes: AsyncStream<Void> { fault == .isSilent ? AsyncStream { $0.finish() } : store.changes }
}
