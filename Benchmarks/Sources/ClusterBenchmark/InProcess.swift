import Duet
import DuetCluster
import Foundation
import Rounds

/// A query through the engine in one process, without its encodings.
enum InProcess {
    static func measure() async throws {
        print("A query through the engine in one process; medians of 15 rounds.")
        let cluster = InProcessCluster()
        let dispatcher = try StandardDispatcher { LoadStockHandler() }
        let serving = try ClusterWorker(.queries, dispatcher, on: cluster)
        let worker = Task { try await serving.run() }
        let remote = try ClusterDispatcher(.queries, on: cluster)
        _ = try await remote.dispatch(Bytes.query)
        let count = 2_000
        let rounds = try await Rounds(
            15,
            [
                Measured("cluster") { for _ in 0..<count { _ = try await remote.dispatch(Bytes.query) } },
                Measured("coding") {
                    for _ in 0..<count {
                        let query = try JSONDecoder().decode(LoadStock.self, from: Bytes.encoded(Bytes.query))
                        let value = try JSONDecoder().decode(LoadStock.Value.self, from: Bytes.encoded(Bytes.value))
                        precondition(query == Bytes.query && value == Bytes.value)
                    }
                },
            ]
        )
        let (whole, coding) = (rounds["cluster"] / Double(count) * 1_000, rounds["coding"] / Double(count) * 1_000)
        print("the whole query \(whole.text()) us, two encodings and two decodings alone \(coding.text()) us")
        printFigure("us of a query through the engine in one process, less its codings", whole - coding, atMost: 15)
        worker.cancel()
        try await worker.value
    }
}
