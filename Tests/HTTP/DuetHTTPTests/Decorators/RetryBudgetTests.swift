import DuetHTTP
import DuetTesting
import Testing

@Suite
struct RetryBudgetTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `in any period there are no more retries than the reserve and the share`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let reserve = Int.random(in: 1...20, using: &generator)
        let percent = Int.random(in: 0...100, using: &generator)
        let budget = try #require(RetryBudget(.share(Double(percent) / 100, reserve: reserve)))
        // For every start at once: the largest excess of retries over the share since then.
        var ahead = 0.0
        for _ in 1...2_000 {
            if Bool.random(using: &generator) {
                budget.noteRequest()
                ahead = max(0, ahead - Double(percent) / 100)
            } else if budget.takeRetry() {
                ahead += 1
            }
            #expect(ahead <= Double(reserve) + 0.001, "seed \(seed)")
        }
    }

    @Test func `ten tenths are one retry, exactly`() throws {
        let budget = try #require(RetryBudget(.share(0.1, reserve: 0)))
        for _ in 1...9 { budget.noteRequest() }
        #expect(!budget.takeRetry())
        budget.noteRequest()
        #expect(budget.takeRetry())
        #expect(!budget.takeRetry())
    }

    @Test(arguments: [0, -1, -.infinity, .nan] as [Double])
    func `no share is no share`(share: Double) throws {
        let budget = try #require(RetryBudget(.share(share, reserve: 1)))
        #expect(budget.takeRetry())
        for _ in 1...100 { budget.noteRequest() }
        #expect(!budget.takeRetry())
    }

    @Test(arguments: [1, .infinity, .greatestFiniteMagnitude] as [Double])
    func `a share of one is a retry for each request`(share: Double) throws {
        let budget = try #require(RetryBudget(.share(share, reserve: .min)))
        for _ in 1...100 {
            budget.noteRequest()
            #expect(budget.takeRetry())
        }
    }

    @Test func `without a limit there is no budget`() {
        #expect(RetryBudget(.unlimited) == nil)
    }
}
