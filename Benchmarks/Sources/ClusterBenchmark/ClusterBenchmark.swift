import Duet
import DuetCluster
import DuetNATS
import Foundation
import Rounds

/// The costs of a cluster on one machine, compared with libnats alone.
@main
enum ClusterBenchmark {
    enum Part: String, CaseIterable { case process, queries, commands, invalidations }

    /// Away from the main actor, to which each operation would otherwise return on another thread.
    @concurrent static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let server = arguments.first, arguments.dropFirst().allSatisfy({ Part(rawValue: $0) != nil }) else {
            print("usage: ClusterBenchmark SERVER [PART …]    for example nats://127.0.0.1:4222")
            print("parts: \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
            exit(2)
        }
        let parts = arguments.dropFirst().compactMap(Part.init)
        for part in parts.isEmpty ? Part.allCases : parts {
            switch part {
            case .process: try await InProcess.measure()
            case .queries: try await Queries(server: server).measure()
            case .commands: try await Commands(server: server).measure()
            case .invalidations: try await Invalidations(server: server).measure()
            }
        }
    }

    /// A connection to a cluster that only one run uses.
    static func connect(_ server: String, _ name: String) async throws -> NATSCluster {
        try await NATSCluster.connect(to: [server], name: "\(name)-\(ProcessInfo.processInfo.processIdentifier)")
    }
}

struct LoadStock: Query, Codable, Hashable {
    struct Value: Codable, Hashable {
        let item: String
        let shelves: [Int]
    }

    let item: String
}

struct AddStock: Command, Codable {
    let item: String
    let count: Int
}

extension MessageAPI {
    static let queries = MessageAPI("queries", authorized: .open) { LoadStock.self }
    static let commands = MessageAPI("commands", authorized: .open) { AddStock.ordered(by: \.item) }
}

/// The same request and value as bytes.
enum Bytes {
    static let query = LoadStock(item: "a box of tea")
    static let value = LoadStock.Value(item: "a box of tea", shelves: Array(1...20))
    static let command = AddStock(item: "a box of tea", count: 3)

    static func encoded(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
}

struct LoadStockHandler: QueryHandler {
    func handle(_ query: LoadStock) async throws -> LoadStock.Value { Bytes.value }
}

struct AddStockHandler: CommandHandler {
    let counter: Counter

    func handle(_ command: AddStock) async throws { counter.add() }
}

/// The durations of single operations, in microseconds.
func durations(_ count: Int, _ body: () async throws -> Void) async rethrows -> [Double] {
    let clock = ContinuousClock()
    var durations: [Double] = []
    for _ in 0..<count {
        let start = clock.now
        try await body()
        durations.append(start.duration(to: clock.now) / .microseconds(1))
    }
    return durations.sorted()
}

extension [Double] {
    var median: Double { isEmpty ? .nan : self[count / 2] }
}
