import FeedPresentation
import Foundation
import Testing

@Suite struct RelativeTextTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        arguments: [
            (-60, "now", "τώρα", "agora"),
            (0, "now", "τώρα", "agora"),
            (0.9, "now", "τώρα", "agora"),
            (1, "1 second ago", "πριν από 1 δευτερόλεπτο", "há 1 segundo"),
            (60, "1 minute ago", "πριν από 1 λεπτό", "há 1 minuto"),
            (300, "5 minutes ago", "πριν από 5 λεπτά", "há 5 minutos"),
            (7_200, "2 hours ago", "πριν από 2 ώρες", "há 2 horas"),
            (86_400, "1 day ago", "πριν από 1 ημέρα", "há 1 dia"),
        ] as [(TimeInterval, String, String, String)]
    )
    func `a date is shown as its age`(
        _ age: TimeInterval,
        _ english: String,
        _ greek: String,
        _ portuguese: String
    ) {
        let date = now.addingTimeInterval(-age)
        #expect(Language.english.relativeText(of: date, now: now, calendar: .utc) == english)
        #expect(Language.greek.relativeText(of: date, now: now, calendar: .utc) == greek)
        #expect(Language.brazilianPortuguese.relativeText(of: date, now: now, calendar: .utc) == portuguese)
    }
}

extension Calendar {
    /// A calendar that is the same on every machine.
    static var utc: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }
}
