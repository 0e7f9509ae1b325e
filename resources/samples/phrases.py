"""Sentences of the sample encyclopedia, as templates with named slots. All of it is made up.

A slot is {name}; a|b|c inside double angle brackets chooses one alternative: <<fast|slow>>.
"""

TOWN_LEAD = [
    "'''{title}''' is a <<market|harbour|mining|university|railway|border>> town in [[{region}]], on the <<left|right|northern|southern>> bank of the [[{river}]].",
    "'''{title}''' is a <<small|quiet|busy|growing>> town in the <<north|south|east|west>> of [[{region}]], about {{{{convert|{km}|km|mi}}}} from [[{town}]].",
    "'''{title}''' ({{{{lang|la|{latin}}}}}) is a town of {people} inhabitants in [[{region}]].{ref}",
]
TOWN_HISTORY = [
    "The town was founded in {early} by settlers from [[{town}]] who followed the [[{river}]] upstream.",
    "In {early} a <<fire|flood|storm>> destroyed most of the <<wooden houses|old quarter|harbour district>>, and the streets were laid out anew.",
    "The first train arrived in {year}, when the [[{line}]] was opened after <<two|three|five|seven>> years of work.{ref}",
    "For more than a century the <<mill|glass works|iron works|brewery|shipyard>> was the largest employer; it closed in {late}.",
    "The council, led by [[{person}]], decided in {year} to <<build a water works|pave the market square|found a school of engineering|widen the canal>>.",
    "After the <<great|long|second>> strike of {late} many families moved to [[{town}]], and the population fell by a <<third|quarter|fifth>>.",
    "A memorial beside the station recalls the <<workers|passengers|engineers>> who died when the [[{bridge}]] collapsed in {year}.",
    "Its <<weekly|monthly|yearly>> market, first mentioned in {early}, is still held on the square in front of the <<town hall|old church|station>>.",
]
TOWN_GEOGRAPHY = [
    "The town lies {height} m above the sea, where the valley of the [[{river}]] opens into the <<plain|marshes|hills|lake district>>.",
    "Winters are <<mild|cold|long|wet>> and summers are <<short|dry|warm|cool>>; the average temperature in July is {{{{convert|{degrees}|C|F}}}}.",
    "The nearest <<city|port|airport|hospital>> is in [[{town}]], {{{{convert|{km}|km|mi}}}} to the <<north|south|east|west>>.",
    "To the <<north|south|east|west>> the land rises towards the <<forest|moor|mountains|high plain>> of [[{region}]].",
    "About <<half|a third|two thirds>> of the area is covered with <<pine forest|meadows|orchards|fields of barley>>.",
    "The [[{river}]] is crossed by <<two|three|four>> bridges, of which the [[{bridge}]] is the oldest.",
]
LINE_LEAD = [
    "The '''{title}''' is a <<single-track|double-track|narrow-gauge|main>> railway line in [[{region}]] that connects [[{town}]] with [[{town2}]].",
    "The '''{title}''' is a railway between [[{town}]] and [[{town2}]]; it is {{{{convert|{km}|km|mi}}}} long and was opened in {year}.{ref}",
]
LINE_HISTORY = [
    "Plans for a line along the [[{river}]] were drawn up by [[{person}]] in {year}, but money was found only <<two|four|six|nine>> years later.",
    "The first section, from [[{town}]] to [[{town3}]], was opened on {day} {year}.",
    "Work on the tunnel below the <<pass|ridge|castle hill>> took <<three|four|five>> years, because <<water|loose rock|gas>> entered the <<northern|southern>> heading.{ref}",
    "The line was built and worked by the [[{company}]], which was <<bankrupt|sold to the state|merged with a rival>> in {late}.",
    "Since {late} the line has been electrified at {{{{nowrap|15 kV}}}} and is used by <<freight|express|local|night>> trains.",
    "A second track was added between [[{town}]] and [[{town3}]] when the traffic in <<coal|timber|grain|steel>> had doubled.",
    "During the winter of {late} the line was blocked by snow for <<nine|twelve|sixteen>> days.",
    "The stopping service was withdrawn in {late}, although <<farmers|students|commuters>> had collected {people} signatures against it.",
]
LINE_ROUTE = [
    "From [[{town}]] the line follows the <<left|right>> bank of the [[{river}]] and climbs with a gradient of {{{{frac|1|{gradient}}}}}.",
    "It crosses the valley on the [[{bridge}]], {{{{convert|{height}|m|ft}}}} above the water.",
    "Between [[{town3}]] and [[{town2}]] there are <<two|three|five|six>> tunnels, the longest of which is {{{{convert|{metres}|m|ft}}}} long.",
    "Trains of the [[{train}]] haul <<coal|timber|mail|express>> trains over the <<steep|southern|last>> section.",
    "The journey takes {minutes} minutes by express train and about <<twice|three times>> as long by local train.",
    "At [[{town3}]] passengers change to the branch line, which serves the <<quarry|spa|harbour|sugar factory>>.",
]
TRAIN_LEAD = [
    "The '''{title}''' was a class of <<steam|diesel|electric>> locomotives built for the [[{company}]] between {year} and {late}.",
    "The '''{title}''' is a <<steam|diesel|electric>> locomotive designed by [[{person}]] for the [[{line}]].{ref}",
]
TRAIN_DESIGN = [
    "The locomotives had <<two|three|four>> driven axles and a weight of {{{{convert|{weight}|t|lb}}}}.",
    "Their <<boiler|engine|transformer>> was derived from that of an earlier class, but the <<frame|cab|brake>> was entirely new.",
    "They reached a speed of {{{{convert|{speed}|km/h|mph}}}}, with <<six|eight|ten|twelve>> carriages of {{{{convert|{weight}|t|lb}}}} each.",
    "The power {{{{nowrap|''P'' {{{{=}}}} ''Fv''}}}} was limited by the <<wheels|bearings|cooling>>, which had to be replaced after {people} hours.",
    "A <<driver|fireman|engineer>> who knew both classes called the new one \"<<quiet as a cat|a stubborn mule|the best of them all>>\".{ref}",
    "Between {year} and {late}, {count} locomotives were delivered by the works in [[{town}]].",
    "The tractive force is <math>F = \\mu m g</math>, where the <<friction|adhesion>> depends on the state of the rails.",
]
TRAIN_SERVICE = [
    "The first locomotive was tested on the [[{line}]] in {year} and pulled a train of {count} <<waggons|carriages>> without effort.",
    "Most of the class worked <<freight|local|express|mail>> trains between [[{town}]] and [[{town2}]].",
    "Number {count} was badly damaged in an accident near [[{town3}]] but was rebuilt within <<a year|six months|two years>>.",
    "After {late} they were replaced by <<diesel|electric>> locomotives and sent to the <<docks|quarries|depots>> of [[{region}]].",
    "The last one was withdrawn on {day} {late}; it is kept in the railway museum of [[{town}]].",
]
PERSON_LEAD = [
    "'''{title}''' (born {day} {year} in [[{town}]]; died {late}) was a <<civil engineer|bridge builder|railway manager|surveyor|photographer|inventor>>.",
    "'''{title}''' ({year} &ndash; {late}) was an engineer and <<writer|teacher|politician>> from [[{region}]].{ref}",
]
PERSON_LIFE = [
    "{she} was the <<first|second|third|youngest>> child of a <<miller|teacher|station master|carpenter>> and grew up in [[{town2}]].",
    "After school {he} learned the trade of a <<locksmith|draughtsman|mason>> and studied <<mechanics|mathematics|surveying>> in the evenings.",
    "In {year} {he} entered the service of the [[{company}]], where {he} rose to <<chief engineer|head of the workshops|director>>.",
    "{she} married <<a doctor|a painter|a merchant|a captain>> from [[{town}]]; they had <<two|three|five>> children.",
    "{she} died in [[{town2}]] after a <<short|long>> illness and was buried beside the <<river|old church|line>>.",
    "A street in [[{town}]] and the largest hall of the <<museum|station|university>> carry {his} name.",
]
PERSON_WORK = [
    "{his_cap} best known work is the [[{bridge}]], whose <<arches|piers|towers>> are {{{{convert|{height}|m|ft}}}} high.",
    "{she} surveyed the [[{line}]] on foot and on horseback, and {his} notebooks are kept in [[{town2}]].{ref}",
    "Together with [[{person}]] {he} designed the [[{train}]], which remained in service for <<thirty|forty|fifty>> years.",
    "In {his} book on <<tunnels|brakes|signals|bridges>> {he} wrote that \"a line is only as good as its <<drains|rails|people|signals>>\".{ref}",
    "Critics said that {his} bridges were <<too heavy|too costly|too light>>, but none of them has ever <<failed|been closed>>.",
]
BRIDGE_LEAD = [
    "The '''{title}''' is a <<stone|steel|wooden|concrete>> railway bridge over the [[{river}]] near [[{town}]].",
    "The '''{title}''' carries the [[{line}]] across the valley of the [[{river}]]; it was opened in {year}.{ref}",
]
BRIDGE_BODY = [
    "It is {{{{convert|{metres}|m|ft}}}} long and rests on <<four|six|nine|eleven>> <<piers|arches>> of <<granite|limestone|brick|sandstone>>.",
    "The design by [[{person}]] was chosen from {count} proposals, because it needed the least <<iron|stone|time|money>>.",
    "A <<flood|storm|barge>> damaged the <<third|fourth|eastern>> pier in {late}, and trains had to be diverted by way of [[{town3}]].",
    "In {late} the bridge was strengthened so that the [[{train}]] could cross it at full speed.",
    "About {people} people came to see the first train, which was hauled by <<two|three>> locomotives.",
    "Every <<morning|evening|year>> a guard walks over the bridge and checks each <<bolt|rivet|stone>> with a <<hammer|lamp>>.",
    "The bridge has been a protected monument since {late}, and a path below it is popular with <<walkers|painters|anglers>>.",
]
RIVER_LEAD = [
    "The '''{title}''' is a river in [[{region}]], {{{{convert|{km}|km|mi}}}} long, which flows through [[{town}]] and [[{town2}]].",
]
RIVER_BODY = [
    "It rises in the <<hills|mountains|moors>> above [[{town}]] at a height of {{{{convert|{height}|m|ft}}}} and flows <<north|south|east|west>>.",
    "Below [[{town2}]] the river is <<wide|deep|shallow>> enough for <<barges|small ships|rafts>>, which carried <<grain|timber|coal|salt>> until {late}.",
    "The flood of {late} was the highest since {early}; the water stood in the station of [[{town}]] for <<three|five|eight>> days.",
    "<<Trout|Salmon|Pike|Eels>> and <<herons|otters|kingfishers>> are found in the upper valley, while the lower part was straightened in {year}.",
    "The [[{line}]] runs beside the river for <<most of its course|about half of its length>> and crosses it on the [[{bridge}]].",
    "Several <<mills|water works|power stations>> use the fall between [[{town}]] and [[{town3}]].",
]
COMPANY_LEAD = [
    "The '''{title}''' was a railway company in [[{region}]], with its head office in [[{town}]].",
]
COMPANY_BODY = [
    "It was founded in {year} by <<merchants|mine owners|farmers|bankers>> who wanted a better road for their <<grain|coal|wool|timber>>.",
    "Its first line, the [[{line}]], carried {people} passengers in the first <<month|year>>.",
    "Under the direction of [[{person}]] the company ordered {count} locomotives of the [[{train}]].",
    "The shares rose to <<twice|four times>> their value before the crisis of {late}, when the company could not pay its <<workers|debts|taxes>>.",
    "In {late} it was taken over by the state, and its blue carriages were painted <<green|red|brown>>.",
    "The company was known for its <<punctual|slow|comfortable|crowded>> trains and for the <<coffee|clocks|uniforms>> in its stations.",
    "A strike of the <<drivers|signalmen|porters>> in {late} ended after <<two|three|six>> weeks with higher wages.{ref}",
]
