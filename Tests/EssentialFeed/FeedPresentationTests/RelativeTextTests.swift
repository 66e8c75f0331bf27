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
            // Rounded down.
            (59.9, "59 seconds ago", "πριν από 59 δευτερόλεπτα", "há 59 segundos"),
            (119, "1 minute ago", "πριν από 1 λεπτό", "há 1 minuto"),
            (86_399, "23 hours ago", "πριν από 23 ώρες", "há 23 horas"),
            (7 * 86_400 - 1, "6 days ago", "πριν από 6 ημέρες", "há 6 dias"),
            (7 * 86_400, "1 week ago", "πριν από 1 εβδομάδα", "há 1 semana"),
            (2_629_799, "4 weeks ago", "πριν από 4 εβδομάδες", "há 4 semanas"),
            (2_629_800, "1 month ago", "πριν από 1 μήνα", "há 1 mês"),
            (365 * 86_400 - 1, "11 months ago", "πριν από 11 μήνες", "há 11 meses"),
            (365 * 86_400, "1 year ago", "πριν από 1 έτος", "há 1 ano"),
            (730 * 86_400, "2 years ago", "πριν από 2 έτη", "há 2 anos"),
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

    @Test(arguments: ["America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"], 0..<12)
    func `an age does not depend on the time zone and the season`(zone: String, month: Int) throws {
        var calendar = Calendar.utc
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let now = now.addingTimeInterval(Double(month) * 2_629_800)
        for count in 1...11 {
            let date = now.addingTimeInterval(-Double(count) * 2_629_800)
            let text = count == 1 ? "1 month ago" : "\(count) months ago"
            #expect(Language.english.relativeText(of: date, now: now, calendar: calendar) == text)
        }
        let week = now.addingTimeInterval(-4 * 604_800)
        #expect(Language.english.relativeText(of: week, now: now, calendar: calendar) == "4 weeks ago")
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
