import DuetHTTP
import Testing

@Suite
struct RefreshLineTests {
    @Test func `the first who comes begins the refresh, and its end tells all`() {
        var line = RefreshLine<String>()
        let begun = [line.join(1, "a", replacing: "t1"), line.join(2, "b", replacing: "t1")]
        #expect(begun == [true, false])
        let (told, isToBeginAgain) = line.end(with: "t2")
        #expect(told.sorted() == ["a", "b"])
        #expect(!isToBeginAgain)
        let later = line.end(with: "t2")
        #expect(later.told.isEmpty)
        let isBegunAnew = line.join(3, "c", replacing: "t2")
        #expect(isBegunAnew)
        let failed = [line.fail(), line.fail()]
        #expect(failed == [["c"], []])
    }

    @Test func `who leaves is not told, and the refresh stays the only one`() {
        var line = RefreshLine<String>()
        let isBegun = line.join(1, "a", replacing: "t1")
        #expect(isBegun)
        let left = [line.leave(1), line.leave(1)]
        #expect(left == ["a", nil])
        let isBegunAgain = line.join(2, "b", replacing: "t1")
        #expect(!isBegunAgain)
        let told = line.end(with: nil).told
        #expect(told == ["b"])
        let leftLate = line.leave(2)
        #expect(leftLate == nil)
    }

    @Test func `who was refused with the new token waits for the next one, and no longer`() {
        var line = RefreshLine<String>()
        _ = line.join(1, "a", replacing: "t1")
        _ = line.join(2, "b", replacing: "t2")
        let first = line.end(with: "t2")
        #expect(first.told == ["a"])
        #expect(first.isToBeginAgain)
        let isBegunTwice = line.join(3, "c", replacing: "t3")
        #expect(!isBegunTwice)
        // Whatever comes of the second, it is for the one who has waited for two.
        let second = line.end(with: "t2")
        #expect(second.told.sorted() == ["b", "c"])
        #expect(!second.isToBeginAgain)
    }

    @Test func `a refresh that brings what it was to replace is not begun again`() {
        var line = RefreshLine<String>()
        _ = line.join(1, "a", replacing: "t1")
        let end = line.end(with: "t1")
        #expect(end.told == ["a"])
        #expect(!end.isToBeginAgain)
    }

    @Test func `nobody has the id of another`() {
        var line = RefreshLine<String>()
        let ids = (1...100).map { _ in line.newID() }
        #expect(Set(ids).count == 100)
    }
}
