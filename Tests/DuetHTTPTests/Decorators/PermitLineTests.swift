import DuetHTTP
import DuetTesting
import Testing

@Suite
struct PermitLineTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `no permit is lost or made, and all are served in the order in which they came`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let permits = Int.random(in: 1...5, using: &generator)
        var line = PermitLine<Int>(permits: permits)
        var waiting: [Int] = []
        var busy = 0
        for step in 1...3_000 {
            switch Int.random(in: 0...2, using: &generator) {
            case 0:
                if line.takePermit() {
                    #expect(waiting.isEmpty, "seed \(seed), step \(step)")
                    busy += 1
                } else {
                    let id = line.newID()
                    line.join(id, id)
                    waiting.append(id)
                }
            case 1 where busy > 0:
                let woken = line.giveBack()
                #expect(woken == waiting.first, "seed \(seed), step \(step)")
                if woken == nil { busy -= 1 } else { waiting.removeFirst() }
            default:
                guard let index = waiting.indices.randomElement(using: &generator) else { continue }
                let id = waiting.remove(at: index)
                let left = [line.leave(id), line.leave(id)]
                #expect(left == [id, nil], "seed \(seed), step \(step)")
            }
            #expect(line.free + busy == permits, "seed \(seed), step \(step)")
            #expect(line.count == waiting.count, "seed \(seed), step \(step)")
        }
    }
}
