import Foundation
import Rounds

/// Prints the hit ratios of the query cache and of other eviction policies on traces of accesses.
@main
enum EvictionSimulator {
    static let usage = """
        usage: EvictionSimulator POLICY,... CAPACITY,... TRACE...

        Prints the hit ratio in percent of each policy on each trace, at each capacity, beginning with an empty cache.
          POLICY    query-cache, which is a whole cache; for comparison lru, arc, and min, which knows the future;
                    or all
          CAPACITY  the number of entries that fit
          TRACE     a file with a decimal key on each line; compressed by gzip if its name ends in .gz
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(error is UsageError ? 2 : 1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3 else { throw UsageError(description: usage) }
        let policies = try policies(arguments[0])
        let capacities = try arguments[1].split(separator: ",").map { text in
            guard let capacity = Int(text), capacity > 0 else {
                throw UsageError(description: "The capacity \"\(text)\" is not a positive number.\n\n\(usage)")
            }
            return capacity
        }
        print(row("trace", "capacity", policies.map(\.rawValue)))
        for file in arguments[2...] {
            let trace = try Trace(file: file)
            for capacity in capacities {
                var ratios: [String] = []
                for policy in policies {
                    let hits = try await policy.hits(on: trace, capacity: capacity)
                    ratios.append((100 * Double(hits) / Double(max(1, trace.keys.count))).text())
                }
                print(row(trace.name, "\(capacity)", ratios))
            }
        }
    }

    private static func policies(_ list: String) throws -> [SimulatedPolicy] {
        if list == "all" { return SimulatedPolicy.allCases }
        return try list.split(separator: ",").map { name in
            guard let policy = SimulatedPolicy(rawValue: String(name)) else {
                throw UsageError(description: "There is no policy \"\(name)\".\n\n\(usage)")
            }
            return policy
        }
    }

    private static func row(_ trace: String, _ capacity: String, _ cells: [String]) -> String {
        let columns = ([capacity] + cells).map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
        return trace.padded(to: 16) + columns.joined()
    }
}

/// Wrong arguments.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The cache, or a policy for comparison.
enum SimulatedPolicy: String, CaseIterable {
    case lru
    case arc
    case queryCache = "query-cache"
    case min

    func hits(on trace: Trace, capacity: Int) async throws -> Int {
        switch self {
        case .lru: LRU(capacity: capacity).hits(on: trace)
        case .arc: ARC(capacity: capacity).hits(on: trace)
        case .queryCache: try await queryCacheHits(on: trace, capacity: capacity)
        case .min: ClairvoyantCache(capacity: capacity).hits(on: trace)
        }
    }
}
