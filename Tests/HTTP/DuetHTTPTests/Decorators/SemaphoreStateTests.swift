import DuetHTTP
import DuetTesting
import Testing

@Suite
struct SemaphoreStateTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `permits are neither lost nor duplicated, and waiters are resumed in order of arrival`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let permits = Int.random(in: 1...5, using: &generator)
        var state = SemaphoreState<Int>(permits: permits)
        var waiting: [Int] = []
        var busy = 0
        for step in 1...3_000 {
            switch Int.random(in: 0...2, using: &generator) {
            case 0:
                if state.takePermit() {
                    #expect(waiting.isEmpty, "seed \(seed), step \(step)")
                    busy += 1
                } else {
                    let id = state.newID()
                    state.enqueue(id, id: id)
                    waiting.append(id)
                }
            case 1 where busy > 0:
                let resumed = state.signal()
                #expect(resumed == waiting.first, "seed \(seed), step \(step)")
                if resumed == nil { busy -= 1 } else { waiting.removeFirst() }
            default:
                guard let index = waiting.indices.randomElement(using: &generator) else { continue }
                let id = waiting.remove(at: index)
                let removed = [state.remove(id), state.remove(id)]
                #expect(removed == [id, nil], "seed \(seed), step \(step)")
            }
            #expect(state.free + busy == permits, "seed \(seed), step \(step)")
            #expect(state.waiting == waiting.count, "seed \(seed), step \(step)")
        }
    }
}
